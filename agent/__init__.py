"""The steps that a question goes through: state, nodes, routes, graph, and the chatbot around them."""
