"""The recording reverse proxy: what an agent asks of a site, and what the site answers, row by row."""
