package local

// cpuMHz reads `cpu MHz` of /proc/cpuinfo by processor number.
func cpuMHz(b []byte) map[int]uint64 {
	out := make(map[int]uint64)
	cpu := -1
	for l := range lines(b) {
		key, value := keyedByColon(l)
		switch string(key) {
		case "processor":
			cpu = -1
			if n, _, ok := number(value); ok && n < maxCPUs {
				cpu = int(n)
			}
		case "cpu MHz":
			if n, _, ok := number(value); ok && cpu >= 0 {
				out[cpu] = n
			}
		}
	}
	return out
}

// keyedByColon splits `key words<tab>: value`.
func keyedByColon(b []byte) (key, value []byte) {
	for i, c := range b {
		if c == ':' {
			for i > 0 && (b[i-1] == ' ' || b[i-1] == '\t') {
				i--
			}
			key = b[:i]
			break
		}
	}
	for i := len(key); i < len(b); i++ {
		if b[i] == ':' {
			return key, b[i+1:]
		}
	}
	return nil, nil
}
