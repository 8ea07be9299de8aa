"""MCP: the company's knowledge as tools for agents and editors, with the same permissions as everywhere else."""
