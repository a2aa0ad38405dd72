package engine

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"net/http"
	"slices"
	"testing"

	"perfdeck/session/engine/enginetest"
)

// plantSamples writes samples to an engine by remote write 1.0, each series in the order of time.
func plantSamples(t testing.TB, e *enginetest.Engine, series []enginetest.Sample) {
	t.Helper()
	var request []byte
	for _, s := range series {
		var one []byte
		for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
			one = field(one, 1, field(field(nil, 1, []byte(name)), 2, []byte(s.Labels[name])))
		}
		for _, p := range s.Points {
			value := binary.LittleEndian.AppendUint64([]byte{1<<3 | 1}, math.Float64bits(p.Value))
			one = field(one, 2, binary.AppendUvarint(append(value, 2<<3), uint64(p.Millis)))
		}
		request = field(request, 1, one)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.WriteURL(), bytes.NewReader(literal(request)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("Content-Encoding", "snappy")
	r.Header.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	if reply.StatusCode/100 != 2 {
		t.Fatalf("%s: %s", e.Name, reply.Status)
	}
	e.Flush()
}

// field appends bytes as a field of a protobuf message.
func field(to []byte, number int, of []byte) []byte {
	to = binary.AppendUvarint(append(to, byte(number<<3|2)), uint64(len(of)))
	return append(to, of...)
}

// literal is snappy's block format without any compression.
func literal(of []byte) []byte {
	const most = 1 << 16
	out := binary.AppendUvarint(nil, uint64(len(of)))
	for len(of) > 0 {
		n := min(len(of), most)
		out = append(out, 61<<2, byte(n-1), byte((n-1)>>8))
		out = append(out, of[:n]...)
		of = of[n:]
	}
	return out
}
