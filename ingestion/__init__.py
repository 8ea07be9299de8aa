"""Reads documents, splits them into chunks and puts them into the library."""
