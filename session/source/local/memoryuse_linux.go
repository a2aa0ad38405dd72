package local

// memoryUseReader reads Memory Use.
type memoryUseReader struct {
	meminfo kernelFile
	values  values
}

func newMemoryUse(t *tick) collector {
	return newMany(memoryUseCounters, &memoryUseReader{meminfo: quick(t.proc("meminfo"))}, false)
}

func (r *memoryUseReader) read(f *found[memoryUse]) error {
	data, err := r.meminfo.read()
	r.values.parse(useKeys, data)
	uses, ok := memoryUses(&r.values)
	if !ok {
		return readError("meminfo", err)
	}
	for _, use := range uses {
		*f.instance("", use.name, 0) = use.memoryUse
	}
	return nil
}

func (r *memoryUseReader) close() { r.meminfo.close() }

var memoryUseOrigins = origins{
	"Working Set":           "/proc/meminfo, less Mapped",
	"Working Set - Private": "/proc/meminfo: SUnreclaim + KernelStack + PageTables + Percpu; Buffers + Cached + SReclaimable - Shmem; Shmem; Hugetlb; MemTotal - MemFree - AnonPages less all that",
}
