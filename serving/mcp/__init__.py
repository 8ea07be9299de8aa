"""MCP: the company's knowledge as tools for agents and editors, under the same permissions as every other way in."""
