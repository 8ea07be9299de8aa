"""Where a login leads, and the login with the company's identity provider."""
