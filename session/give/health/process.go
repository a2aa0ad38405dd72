package health

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"perfdeck/session/engine/prom"
)

// What a program that goes on tells of its process, by the names of Prometheus' client libraries.
var (
	processCPU    = prom.Metric{Name: "process_cpu_seconds_total", Grows: true, Help: "Processor time of perfdeck."}
	processMemory = prom.Metric{Name: "process_resident_memory_bytes", Help: "Resident memory of perfdeck."}
	processFiles  = prom.Metric{Name: "process_open_fds", Help: "Open files of perfdeck."}
	processStart  = prom.Metric{Name: "process_start_time_seconds", Help: "When perfdeck began, in seconds since 1970."}
	goRoutines    = prom.Metric{Name: "go_goroutines", Help: "Goroutines of perfdeck."}
	goHeap        = prom.Metric{Name: "go_memstats_heap_alloc_bytes", Help: "Objects on the heap of perfdeck."}
)

const (
	clockTicks = 100.0 // USER_HZ of proc_pid_stat(5), the same on all systems that Go runs on
	utime      = 11    // fields of that file, from behind the name: stime follows
	rss        = 21    // pages
)

// AddProcess tells of the process; outside Linux of Go's part alone.
func AddProcess(e *prom.Exposition, since time.Time) {
	add := func(m *prom.Metric, v float64) { e.Add(m, []byte("{"), prom.AppendFloat(nil, v), 0) }
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	add(&goHeap, float64(heap[0].Value.Uint64()))
	add(&goRoutines, float64(runtime.NumGoroutine()))
	add(&processStart, float64(since.UnixMilli())/1000)
	text, err := os.ReadFile("/proc/self/stat")
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if err != nil || len(fields) <= rss {
		return
	}
	number := func(i int) float64 {
		v, _ := strconv.ParseFloat(string(fields[i]), 64)
		return v
	}
	add(&processCPU, (number(utime)+number(utime+1))/clockTicks)
	add(&processMemory, number(rss)*float64(os.Getpagesize()))
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		add(&processFiles, float64(len(files)))
	}
}
