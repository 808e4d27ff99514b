"""UPDATE, DELETE, MERGE, OPTIMIZE: rows of files that are there into new files and deletion vectors."""
