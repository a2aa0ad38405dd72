// Package push sends values to engines that take Prometheus remote write 1.0. What is to
// be sent waits in a queue on disk, in the very bytes that will go over the wire, so that
// neither the end of the program nor an engine that is away for hours loses any.
//
// Data flows one way: answers of hosts become samples (series.go), samples become
// blocks, blocks wait (queue.go) and are sent in order (sender.go).
package push

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"perfdeck/session/engine/prom"
)

// A write request of remote write 1.0 (prometheus.io/docs/specs/prw/remote_write_spec):
//
//	WriteRequest   { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3 }
//	TimeSeries     { repeated Label labels = 1; repeated Sample samples = 2 }
//	Label          { string name = 1; string value = 2 }
//	Sample         { double value = 1; int64 timestamp = 2 } // milliseconds since 1970
//	MetricMetadata { MetricType type = 1; string metric_family_name = 2; string help = 4 }
//
// A field begins with its number and how its value is written: as a varint, 8 bytes, or
// a length and so many bytes.
const (
	fieldSeries   = 1<<3 | 2
	fieldMetadata = 3<<3 | 2
	fieldLabel    = 1<<3 | 2 // of a series
	fieldSample   = 2<<3 | 2
	fieldName     = 1<<3 | 2 // of a label
	fieldText     = 2<<3 | 2
	fieldValue    = 1<<3 | 1 // of a sample
	fieldTime     = 2 << 3
	fieldType     = 1 << 3 // of metadata
	fieldFamily   = 2<<3 | 2
	fieldHelp     = 4<<3 | 2
)

// The types of metrics in metadata.
const (
	typeCounter = 1
	typeGauge   = 2
)

// staleNaN is the value that ends a series: model/value/value.go of Prometheus.
var staleNaN = math.Float64frombits(0x7ff0000000000002)

// label is one of a series.
type label = prom.Label

// appendText writes a field that has a length.
func appendText[T string | []byte](b []byte, field byte, text T) []byte {
	b = binary.AppendUvarint(append(b, field), uint64(len(text)))
	return append(b, text...)
}

// appendLabels writes the labels of a series: sorted by name, as the specification wants.
// A name that comes twice keeps its first value.
func appendLabels(b []byte, labels []label) []byte {
	slices.SortStableFunc(labels, func(a, b label) int { return strings.Compare(a.Name, b.Name) })
	var one []byte
	for i, l := range labels {
		if l.Value == "" || i > 0 && labels[i-1].Name == l.Name { // without a value it is none
			continue
		}
		one = appendText(appendText(one[:0], fieldName, l.Name), fieldText, l.Value)
		b = appendText(b, fieldLabel, one)
	}
	return b
}

// appendSeries writes a series with one sample. labels are those of appendLabels.
func appendSeries(b, labels []byte, value float64, millis int64) []byte {
	sample := 1 + 8 + 1 + uvarintSize(uint64(millis))
	size := uint64(len(labels)) + 1 + uvarintSize(sample) + sample
	b = binary.AppendUvarint(append(b, fieldSeries), size)
	b = append(b, labels...)
	b = binary.AppendUvarint(append(b, fieldSample), sample)
	b = binary.LittleEndian.AppendUint64(append(b, fieldValue), math.Float64bits(value))
	return binary.AppendUvarint(append(b, fieldTime), uint64(millis))
}

// appendMetadata tells of a metric.
func appendMetadata(b []byte, m *prom.Metric) []byte {
	kind := byte(typeGauge)
	if m.Grows {
		kind = typeCounter
	}
	help := prom.LabelValue(m.Help)
	one := appendText([]byte{fieldType, kind}, fieldFamily, m.Name)
	if help != "" {
		one = appendText(one, fieldHelp, help)
	}
	return appendText(b, fieldMetadata, one)
}

// uvarintSize is how many bytes a varint takes: one for each 7 bits.
func uvarintSize(n uint64) uint64 { return uint64(bits.Len64(n|1)+6) / 7 }

// parts are the fields of a write request, as they are written; ok is false for what is none: all of them have
// a length.
func parts(message []byte) (all [][]byte, ok bool) {
	for len(message) > 0 {
		size, n := binary.Uvarint(message[1:])
		if n <= 0 || size > uint64(len(message)-1-n) {
			return nil, false
		}
		end := 1 + n + int(size)
		all, message = append(all, message[:end]), message[end:]
	}
	return all, true
}

// halve parts a write request into two, each with half of the series; ok is false where
// there are no two.
func halve(message []byte) (first, second []byte, ok bool) {
	all, ok := parts(message)
	if !ok || len(all) < 2 {
		return nil, nil, false
	}
	middle := 0
	for _, field := range all[:len(all)/2] {
		middle += len(field)
	}
	return message[:middle], message[middle:], true
}

// countSamples is how many samples a request has, and so how many series.
func countSamples(message []byte) (n int) {
	all, _ := parts(message)
	for _, field := range all {
		if field[0] == fieldSeries {
			n++
		}
	}
	return n
}
