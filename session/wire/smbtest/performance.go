package smbtest

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
)

// Performance is what Samba answers for HKEY_PERFORMANCE_DATA. Its file format
// is that of source3/registry/reg_perfcount.c.
type Performance struct {
	Objects []Object
	// PerfTime, in ticks of PerfFreqHz, and Time are the clocks of the data.
	PerfTime   uint64
	PerfFreqHz uint32
	Time       time.Time
}

// Object is a V1 object.
type Object struct {
	Name, Help string
	Counters   []Counter
	// Instances are the names; an object without them has one value each.
	Instances []string
}

// Counter is a counter of an object.
type Counter struct {
	Name, Help string
	Type       uint32   // of winperf.h
	Values     []uint64 // one for each instance, or one
}

// Publish replaces the performance data: smbd reads them anew for each query.
// Names get their indexes in order, 2 for the first; Samba gives each object and
// each counter one.
func (s *Server) Publish(p Performance) {
	s.t.Helper()
	names, data := newTDB(), newTDB()
	index, last := 0, 0
	for _, o := range p.Objects {
		last += 1 + len(o.Counters)
	}
	names.text("1", strconv.Itoa(last))
	add := func(name, help, relation string) int {
		index += 2
		names.text(strconv.Itoa(index), name)
		names.text(strconv.Itoa(index+1), help)
		names.text(fmt.Sprintf("%drel", index), relation)
		return index
	}
	for _, o := range p.Objects {
		parent := add(o.Name, o.Help, "p")
		for _, c := range o.Counters {
			i := add(c.Name, c.Help, fmt.Sprintf("c[%d]", parent))
			names.text(fmt.Sprintf("%dtype", i), strconv.FormatUint(uint64(c.Type), 10))
			data.text(strconv.Itoa(i), strconv.FormatUint(c.Values[0], 10)) // of no meaning beside instances, but it has to be there
		}
		if len(o.Instances) == 0 {
			continue
		}
		names.text(fmt.Sprintf("%dinst", parent), strconv.Itoa(len(o.Instances)))
		for k, name := range o.Instances {
			names.text(fmt.Sprintf("%di%dname", parent, k), name)
			var values []byte
			for _, c := range o.Counters {
				values = binary.LittleEndian.AppendUint64(values, c.Values[k])
			}
			data.bytes(fmt.Sprintf("%di%d", parent, k), values)
		}
	}
	names.text("0PerfFreq", strconv.FormatUint(uint64(p.PerfFreqHz), 10))
	data.text("0PerfTime", strconv.FormatUint(p.PerfTime, 10))
	data.text("0PerfTime100nSec", strconv.FormatUint(cooker.FileTime(p.Time), 10))
	folder := filepath.Join(s.Dir, "state", "perfmon")
	s.must(os.MkdirAll(folder, 0o755)) //nolint:gosec // the account reads it
	s.restore(names, filepath.Join(folder, "names.tdb"))
	s.restore(data, filepath.Join(folder, "data.tdb"))
}

// tdb is the text that tdbrestore makes a database of.
type tdb struct{ strings.Builder }

func newTDB() *tdb { return &tdb{} }

func (d *tdb) text(key, value string) { d.bytes(key, []byte(value)) }

func (d *tdb) bytes(key string, value []byte) {
	fmt.Fprintf(d, "{\nkey(%d) = \"%s\"\ndata(%d) = \"", len(key), escape([]byte(key)), len(value))
	fmt.Fprintf(d, "%s\"\n}\n", escape(value))
}

// escape writes what is not plain text as tdbdump does.
func escape(b []byte) string {
	var out strings.Builder
	for _, c := range b {
		if c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			fmt.Fprintf(&out, "\\%02X", c)
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

// restore writes a database beside the one in use and puts it in its place.
func (s *Server) restore(d *tdb, path string) {
	s.t.Helper()
	next := path + ".next"
	_ = os.Remove(next)
	run(s.t, exec.CommandContext(context.Background(), "tdbrestore", next), d.String()) //nolint:gosec // a file of this package
	s.must(os.Rename(next, path))
}
