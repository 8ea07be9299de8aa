"""What a trained encoder brings: each embedded judgement without and with it, on what neither was fitted on."""
