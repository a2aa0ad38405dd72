package pcq_test

import (
	"fmt"
	"os"
	"testing"
)

// farKey makes the test program the hosts of BenchmarkManyHosts: so many of
// them, in a process of their own.
const farKey = "PERFDECK_PCQ_FAR_HOSTS"

func TestMain(m *testing.M) {
	if n := os.Getenv(farKey); n != "" {
		if err := serveMany(n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
