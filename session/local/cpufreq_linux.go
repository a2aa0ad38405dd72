package local

import (
	"os"
	"path/filepath"

	"perfdeck/cooker"
)

// frequencies has the clocks of all CPUs. Reading one may wake its CPU and
// take milliseconds, so it is done aside.
type frequencies struct {
	options *Options
	latest  latest[map[int]frequency]
}

type frequency struct{ kHz, maxKHz uint64 }

// read fills mhz and ofMaximum of all rows with what was read last.
func (f *frequencies) read(rows []cpuRow) {
	numbers := make([]int, len(rows))
	for i := range rows {
		numbers[i] = rows[i].number
	}
	proc, sys := f.options.Proc, f.options.Sys
	answer, ok := f.latest.get(f.options, 0, func() map[int]frequency { return readFrequencies(proc, sys, numbers) })
	for i := range rows {
		r := &rows[i].processor
		now := answer[rows[i].number]
		r.mhz, r.ofMaximum = missing(cooker.Unavailable), missing(cooker.Unavailable)
		switch {
		case !ok:
			r.mhz, r.ofMaximum = missing(cooker.Pending), missing(cooker.Pending)
		case now.kHz > 0:
			r.mhz = raw(now.kHz / 1000)
			if now.maxKHz > 0 {
				r.ofMaximum = raw(100 * now.kHz / now.maxKHz)
			}
		}
	}
}

func readFrequencies(proc, sys string, cpus []int) map[int]frequency {
	out := make(map[int]frequency, len(cpus))
	var info map[int]uint64
	for _, cpu := range cpus {
		dir := filepath.Join(sys, "devices/system/cpu/cpu"+decimal(cpu), "cpufreq")
		f := frequency{fileNumber(filepath.Join(dir, "scaling_cur_freq")), fileNumber(filepath.Join(dir, "cpuinfo_max_freq"))}
		if f.kHz == 0 {
			if info == nil {
				data, _ := os.ReadFile(filepath.Join(proc, "cpuinfo"))
				info = cpuMHz(data)
			}
			f.kHz = info[cpu] * 1000
		}
		out[cpu] = f
	}
	return out
}

// fileNumber is the number in a file, 0 if there is none.
func fileNumber(path string) uint64 {
	data, _ := os.ReadFile(path)
	n, _, _ := number(data)
	return n
}
