package sqlite_test

import (
	"testing"

	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// Samples that a recording of ours says it has and that are not found any more are
// counted, also where SQLite sees no damage.
func TestSamplesNotFoundAreCounted(t *testing.T) {
	_, all, faults := formatstest.ReadAll(t, altered(t), logs.OpenOptions{})
	if faults.Any() || len(all) < 2 {
		t.Fatalf("%d rows, faults %+v", len(all), faults)
	}
	_, left, faults := formatstest.ReadAll(t, altered(t, "DELETE FROM PerfdeckTime WHERE RecordIndex > 1"), logs.OpenOptions{})
	if lost := int64(len(all) - 1); len(left) != 1 || faults.Rows != lost || len(faults.First) != 1 {
		t.Errorf("%d rows, faults %+v; want 1 row and %d lost", len(left), faults, lost)
	}
}
