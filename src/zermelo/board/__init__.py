"""The rules of chess as kernels on 64-bit words; never imports python-chess."""
