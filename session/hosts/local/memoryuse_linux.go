package local

// memoryUseReader reads Memory Use.
type memoryUseReader struct{ tick *tick }

func newMemoryUse(t *tick) collector { return newMany(memoryUseCounters, memoryUseReader{t}, false) }

func (r memoryUseReader) read(f *found[memoryUse]) error {
	info, err := r.tick.meminfo.of(r.tick.gen)
	uses, ok := memoryUses(info)
	if !ok {
		return readError("meminfo", err)
	}
	for _, use := range uses {
		*f.instance("", use.name, 0) = use.memoryUse
	}
	return nil
}

func (memoryUseReader) close() {}
