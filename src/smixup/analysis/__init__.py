"""What a trained model's prediction rests on."""
