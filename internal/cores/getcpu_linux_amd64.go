package cores

const sysGetcpu = 309 // package syscall was frozen before Linux numbered it on this port
