"""From documents to questions: passages are cut, asked about, and what is asked is checked."""
