"""Finds lines, columns, tables and headings among the words of a page."""
