package local

import (
	"perfdeck/cooker"
)

// memoryUse is a kind of memory that is no process's own, in bytes: all of it, and without what processes
// have mapped, which is in their rows too.
type memoryUse struct{ all, unmapped uint64 }

var memoryUseCounters = []counter[memoryUse]{
	{"Working Set", 0, func(m *memoryUse) cooker.Reading { return raw(m.unmapped) }},
	{"Working Set - Private", 0, func(m *memoryUse) cooker.Reading { return raw(m.all) }},
}

// namedUse is a kind of memory by its name.
type namedUse struct {
	name string
	memoryUse
}

// memoryUses tells the kinds of memory apart. Of what is mapped, files have the first part.
func memoryUses(v *values) (out []namedUse, ok bool) {
	if !v.has(memTotal, memFree, memBuffers, memCached, memShmem, memSReclaimable, memAnonPages, memMapped, memSUnreclaim) {
		return nil, false
	}
	mapped, known := v.bytes(memMapped), v.bytes(memFree, memAnonPages)
	add := func(name string, bytes uint64, isMapped bool) {
		use := memoryUse{bytes, bytes}
		if isMapped {
			use.unmapped -= min(bytes, mapped)
			mapped -= min(bytes, mapped)
		}
		known += bytes
		out = append(out, namedUse{name, use})
	}
	add("Kernel", v.bytes(memSUnreclaim, memKernelStack, memPageTables, memPercpu), false)
	add("File Cache", grown(v.bytes(memShmem), v.bytes(memBuffers, memCached, memSReclaimable)), true)
	add("Shared Memory", v.bytes(memShmem), true)
	add("Huge Pages", v.bytes(memHugetlb), false)
	add(unattributedName, grown(known, v.bytes(memTotal)), false)
	return out, true
}
