"""Rows out of files and pipes, in chunks: sources, formats, columns, and rows that cannot be used."""
