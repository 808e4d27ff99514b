"""What rules mean that are neither a node nor a list: one module per grammar file, loaded when it is first needed."""
