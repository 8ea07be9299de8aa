"""The files that are ingested: which ones a folder or an archive holds, and what is known of them unread."""
