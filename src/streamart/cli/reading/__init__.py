"""Rows out of files and pipes, in chunks: sources, formats, columns, rejects."""
