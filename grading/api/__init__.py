"""What the API shows of schemes, measurements and figures."""
