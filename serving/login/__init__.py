"""The addresses that a login uses, and the login with the company's identity provider."""
