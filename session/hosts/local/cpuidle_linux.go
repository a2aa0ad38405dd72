package local

import (
	"bytes"
	"os"
	"path/filepath"

	"perfdeck/cooker"
)

// idleFiles are the cpuidle states of all CPUs:
// devices/system/cpu/cpuN/cpuidle/stateK/{name,time,usage}.
type idleFiles struct {
	options *Options
	byCPU   map[int][]idleFile
}

type idleFile struct {
	class       int
	time, usage kernelFile
}

// maxIdleStates bounds the states of a CPU; kernels have at most 10.
const maxIdleStates = 16

// read sums up the states of a CPU by class. A class without states is
// unavailable.
func (f *idleFiles) read(cpu int, out *[idleClasses]idleState) {
	files, ok := f.byCPU[cpu]
	if !ok {
		files = f.find(cpu)
		if f.byCPU == nil {
			f.byCPU = make(map[int][]idleFile)
		}
		f.byCPU[cpu] = files
	}
	none := missing(cooker.Unavailable)
	for class := range out {
		out[class] = idleState{none, none}
	}
	for i := range files {
		s := &files[i]
		const microsecond = 10 // in 100 ns
		addNumber(&out[s.class].time100ns, &s.time, microsecond)
		addNumber(&out[s.class].entries, &s.usage, 1)
	}
}

func (f *idleFiles) find(cpu int) []idleFile {
	files := []idleFile{}
	dir := filepath.Join(f.options.Sys, "devices/system/cpu/cpu"+decimal(cpu), "cpuidle")
	for i := range maxIdleStates {
		state := filepath.Join(dir, "state"+decimal(i))
		name, err := os.ReadFile(filepath.Join(state, "name"))
		if err != nil {
			break
		}
		if class, ok := idleClass(string(bytes.TrimSpace(name))); ok {
			files = append(files, idleFile{
				class: class,
				time:  newKernelFile(f.options, filepath.Join(state, "time")),
				usage: newKernelFile(f.options, filepath.Join(state, "usage")),
			})
		}
	}
	return files
}

// addNumber adds the number in a file, times unit, to a reading.
func addNumber(r *cooker.Reading, f *kernelFile, unit uint64) {
	data, err := f.read()
	n, _, ok := number(data)
	switch {
	case !ok && r.State != cooker.OK:
		*r = missing(absent(err))
	case ok:
		*r = raw(r.Raw + n*unit)
	}
}

func (f *idleFiles) close() {
	for _, files := range f.byCPU {
		for i := range files {
			files[i].time.close()
			files[i].usage.close()
		}
	}
	f.byCPU = nil
}
