package local

import (
	"fmt"
	"strings"
	"testing"
)

// What memory is used for adds up to all of it, with what processes have and what is free; what processes have
// mapped is not counted beside them again.
func TestMemoryUses(t *testing.T) {
	keys := strings.Fields("MemTotal MemFree Buffers Cached Shmem SReclaimable AnonPages Mapped SUnreclaim KernelStack PageTables Percpu Hugetlb")
	read := func(numbers ...int) map[string]memoryUse {
		t.Helper()
		var b strings.Builder
		for i, n := range numbers {
			fmt.Fprintf(&b, "%s: %d kB\n", keys[i], n)
		}
		var v values
		v.parse(memKeys, []byte(b.String()))
		uses, ok := memoryUses(&v)
		if !ok {
			return nil
		}
		out := map[string]memoryUse{}
		for _, u := range uses {
			out[u.name] = memoryUse{u.all >> 10, u.unmapped >> 10}
		}
		return out
	}
	// total, free, buffers, cached, shared, reclaimable, anonymous, mapped, unreclaimable, stacks, tables, per CPU, huge
	got := read(10000, 1000, 100, 2000, 300, 200, 3000, 2500, 700, 10, 20, 30, 400)
	want := map[string]memoryUse{
		"Kernel": {760, 760}, "File Cache": {2000, 0}, "Shared Memory": {300, 0}, "Huge Pages": {400, 400}, "_Unattributed": {2540, 2540},
	}
	var sum uint64 = 1000 + 3000
	for name, use := range want {
		if sum += use.all; got[name] != use {
			t.Errorf("%s is %v, want %v", name, got[name], use)
		}
	}
	if len(got) != len(want) || sum != 10000 {
		t.Errorf("%v, in all %d", got, sum)
	}
	if got := read(10000, 1000, 100, 2000, 300, 200, 3000, 2100, 700)["Shared Memory"]; got != (memoryUse{300, 200}) {
		t.Errorf("of a kernel before 4.16 shared memory is %v", got)
	}
	if got := read(1000, 900, 0, 500, 0, 0, 500, 0, 700)["_Unattributed"]; got.all != 0 {
		t.Errorf("numbers that do not fit leave %v", got)
	}
	if got := read(1000, 900); got != nil {
		t.Errorf("of nearly nothing %v is known", got)
	}
}
