"""Real ZIP files to check against; see README.md here."""
