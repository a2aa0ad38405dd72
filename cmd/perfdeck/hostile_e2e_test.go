//go:build linux

package main

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mostResident is how much memory a command may have for a file that demands more.
const mostResident = 500 << 20

// plaSchema are tables as another program makes them from MS-PLA, without keys.
const plaSchema = `create table DisplayToID (GUID, RunID int, DisplayString, LogStartTime, LogStopTime, NumberOfRecords int, MinutesToUTC int, TimeZoneName);
create table CounterDetails (CounterID integer primary key, MachineName, ObjectName, CounterName, CounterType int, DefaultScale int, InstanceName, InstanceIndex int, ParentName);
create table CounterData (GUID, CounterID int, RecordIndex int, CounterDateTime, CounterValue float, FirstValueA int, FirstValueB int, SecondValueA int, SecondValueB int);
insert into DisplayToID values ('g', 0, 's', '', '', 1, 0, '');
insert into CounterDetails values (1, '', 'o', 'c', 65536, 0, null, null, null);
`

// hostileFiles are SQL that makes files that demand more than there is.
var hostileFiles = map[string]string{
	"a view without end": plaSchema + `drop table CounterData;
create view CounterData as with recursive n(i) as (select 1 union all select i + 1 from n)
 select 'g' as GUID, 1 as CounterID, i as RecordIndex, '2026-01-01 10:00:00.000' as CounterDateTime, 1.5 as CounterValue,
 null as FirstValueA, null as FirstValueB, null as SecondValueA, null as SecondValueB from n;`,
	"many tables": plaSchema + `pragma writable_schema=1;
with recursive n(i) as (select 1 union all select i + 1 from n limit 400000)
 insert into sqlite_schema select 'table', 't' || i, 't' || i, 2, 'create table t' || i || '(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)' from n;`,
	"many rows": plaSchema + `with recursive n(i) as (select 1 union all select i + 1 from n limit 1500000)
 insert into CounterData select 'g', 1, (i * 7919) % 1500000, '2026-01-01 10:00:00.000', i, null, null, null, null from n;`,
	"many counters": plaSchema + `with recursive n(i) as (select 2 union all select i + 1 from n limit 1500000)
 insert into CounterDetails select i, '', 'o', 'c' || i, 65536, 0, null, null, null from n;
insert into CounterData select 'g', CounterID, 1, '2026-01-01 10:00:00.000', 1, null, null, null, null from CounterDetails;`,
	"a large text": plaSchema + `update DisplayToID set DisplayString = hex(zeroblob(200000000));`,
}

// A recording that demands more than there is takes no more than is given to it, and
// whatever it has the program do ends with a signal. It is not parallel: Linux counts what
// this process has at the start of another into the most that one had.
func TestHostileRecordings(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here to make the files")
	}
	for i, what := range slices.Sorted(maps.Keys(hostileFiles)) {
		if testing.Short() && i != 3 { // of many rows: they are sorted
			continue
		}
		sql := hostileFiles[what]
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			script := exec.CommandContext(t.Context(), python, "-c", "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.executescript(sys.stdin.read())\n", filepath.Join(dir, "evil.db"))
			script.Stdin = strings.NewReader(sql)
			if out, err := script.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, args := range [][]string{
				{"relog", "-q", "{dir}/evil.db"},
				{"relog", "{dir}/evil.db", "-o", "{dir}/out.csv", "--yes"},
				{"watch", "--replay", "{dir}/evil.db", "--alert", `\Memory\Available MBytes<200`},
				{"replay", "{dir}/evil.db"},
			} {
				e := started(t, dir, false, args...)
				begun := time.Now()
				e.until("half a second is over", func() bool { return time.Since(begun) > time.Second/2 })
				e.ends(syscall.SIGTERM)
				usage, _ := e.cmd.ProcessState.SysUsage().(*syscall.Rusage)
				if most := usage.Maxrss << 10; most > mostResident {
					t.Errorf("%s took %d MB", args[0], most>>20)
				} else {
					t.Logf("%s: %d MB, %v, %.200q", args[:2], most>>20, e.cmd.ProcessState, e.stderr.String())
				}
			}
		})
	}
}
