internal import CLinux

/// Gives the system back what was needed for a moment; the C library would keep it for the next time.
func giveBackFreeMemory() { malloc_trim(0) }
