"""The engines that are compared, each behind the same small interface."""
