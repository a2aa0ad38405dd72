package main

import (
	"os"
	"testing"
)

// BenchmarkReport100MB reports on a recording of 100 MB. PERFDECK_BENCH_RECORDING names
// another one.
func BenchmarkReport100MB(b *testing.B) {
	dir := b.TempDir()
	file := os.Getenv("PERFDECK_BENCH_RECORDING")
	if file == "" {
		file = dir + "/night.csv"
		if err := os.WriteFile(file, []byte(night("WEB1", 1, 2220)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	out, err := os.Create(dir + "/out")
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	b.SetBytes(info.Size())
	for b.Loop() {
		if code := run([]string{"report", file, "--yes", "-o", dir + "/night.html"}, out, out, out, []string{"TERM=dumb"}); code != 0 {
			b.Fatalf("exit code %d", code)
		}
	}
}
