package logs

import "testing"

// Samples that a recording of ours says it has and that are not found any more are
// counted, also where SQLite sees no damage.
func TestSamplesNotFoundAreCounted(t *testing.T) {
	_, all, faults := readAll(t, altered(t), OpenOptions{})
	if faults.Any() || len(all) < 2 {
		t.Fatalf("%d rows, faults %+v", len(all), faults)
	}
	_, left, faults := readAll(t, altered(t, "DELETE FROM PerfdeckTime WHERE RecordIndex > 1"), OpenOptions{})
	if lost := int64(len(all) - 1); len(left) != 1 || faults.Rows != lost || len(faults.First) != 1 {
		t.Errorf("%d rows, faults %+v; want 1 row and %d lost", len(left), faults, lost)
	}
}
