"""Statistics of a data file as the log stores them: from its footer, or from its rows."""
