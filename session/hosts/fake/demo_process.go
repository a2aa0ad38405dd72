package fake

import (
	_ "embed" // the programs
	"fmt"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/sheet"
)

// program is a process of the demo that has a character; the many services
// have none.
type program struct {
	name        string
	pid, parent uint64
	user        string
	command     string
	share       float64 // of the host's processor time, 0 to 1
	memoryMB    float64
	threads     float64
	handles     float64
	alive       Window
}

const (
	system = `NT AUTHORITY\SYSTEM`
	admin  = `CORP\mia`
)

// programText has them by the hosts that they run on.
//
//go:embed programs.txt
var programText string

// comings are when programs run that do not run all the time.
var comings = map[string]Window{
	"WmiPrvSE": {From: 20 * time.Second, To: 100 * time.Second, Every: 3 * time.Minute},
	"TiWorker": {From: 200 * time.Second, To: 260 * time.Second, Every: 8 * time.Minute},
}

// programsOf are those of every host and of a kind of them.
func programsOf(hosts string) (out []program) {
	const numbers = 6
	for r := range sheet.Rows(programText) {
		if r.Part != hosts && r.Part != "every host" {
			continue
		}
		p := program{name: r.Name, alive: comings[r.Name]}
		_, _ = fmt.Sscan(strings.Join(r.Words[:numbers], " "), &p.pid, &p.parent, &p.share, &p.memoryMB, &p.threads, &p.handles)
		user, command, _ := strings.Cut(r.After(numbers), "|")
		p.user, p.command = strings.TrimSpace(user), strings.TrimSpace(command)
		out = append(out, p)
	}
	return out
}

// service names that fill up a process list beside the many svchost.
var fillers = []string{"conhost", "fontdrvhost", "LogonUI", "RuntimeBroker", "taskhostw", "vm3dservice", "dllhost", "sihost", "ctfmon", "SearchApp"}

// serviceGroups are what the svchost processes host.
var serviceGroups = []string{"DcomLaunch -p", "RPCSS -p", "LocalService -p", "netsvcs -p -s Schedule", "NetworkService -p", "LocalSystemNetworkRestricted -p", "iissvcs", "UnistackSvcGroup"}

func (p *profile) process() Set {
	s := demoSet("Process", map[string]Motion{"Priority Base": Const(8)}, nil)
	s.Facts = []string{"user", "command line"}
	for i := range s.Counters {
		switch c := &s.Counters[i]; c.Name {
		case "ID Process":
			c.Of = func(in *session.Instance) float64 { return float64(in.Number) }
		case "Creating Process ID":
			c.Of = func(in *session.Instance) float64 { return float64(in.Owner) }
		}
	}
	s.Rows = append(s.Rows, Row{Name: "Idle", Flags: session.FlagIdle, Is: map[string]Motion{
		"% Processor Time": Rest(100*float64(p.cpus), Times(float64(p.cpus), p.cpu)),
		"Thread Count":     Const(float64(p.cpus)),
		"Working Set":      Const(8192),
	}})
	for _, one := range programsOf(p.programs) {
		s.Rows = append(s.Rows, p.programRow(&one))
	}
	for i := range p.services {
		s.Rows = append(s.Rows, p.serviceRow(i))
	}
	for i := range p.services {
		s.Rows = append(s.Rows, p.fillerRow(i))
	}
	s.Rows = append(s.Rows, Row{Name: "_Total", Flags: session.FlagTotal})
	return s
}

func (p *profile) programRow(one *program) Row {
	busy := Times(float64(p.cpus)*one.share, p.cpu)
	return Row{
		Name: one.name, Number: one.pid, Owner: one.parent, Facts: []string{one.user, one.command}, Alive: one.alive,
		Is: processMotions(busy, one.memoryMB, one.threads, one.handles),
	}
}

// serviceRow is one of many svchost: mostly idle.
func (p *profile) serviceRow(i int) Row {
	group := serviceGroups[i%len(serviceGroups)]
	size := 8 + 80*fraction(mix(uint64(i)))
	return Row{
		Name: "svchost", Number: 1420 + 40*uint64(i), Owner: 700,
		Facts: []string{system, `C:\Windows\system32\svchost.exe -k ` + group},
		Is:    processMotions(Within(0, 4, Walk(-2.4, 1.6, 15*time.Second)), size, 3+size/4, 90+8*size),
	}
}

func (p *profile) fillerRow(i int) Row {
	name := fillers[i%len(fillers)]
	size := 5 + 60*fraction(mix(uint64(1000+i)))
	return Row{
		Name: name, Number: 10016 + 28*uint64(i), Owner: 700,
		Facts: []string{admin, fmt.Sprintf(`C:\Windows\System32\%s.exe`, name)},
		Is:    processMotions(Within(0, 2, Walk(-2.8, 1, 20*time.Second)), size, 2+size/6, 60+6*size),
	}
}

// processMotions are the values of a process that follow from how busy it is.
func processMotions(busy Motion, memoryMB, threads, handles float64) map[string]Motion {
	bytes := memoryMB * (1 << 20)
	return map[string]Motion{
		"% Processor Time":  busy,
		"% Privileged Time": Times(0.12, busy),
		"% User Time":       Times(0.88, busy),
		"Working Set":       Walk(bytes, bytes*1.02, time.Minute),
		"Private Bytes":     Walk(bytes*1.03, bytes*1.05, time.Minute),
		"Virtual Bytes":     Const(2<<40 + 4*bytes),
		"IO Data Bytes/sec": Times(8e3, busy), // its disks and adapters carry that
		"Page Faults/sec":   Times(2, busy),
		"Thread Count":      Const(threads),
		"Handle Count":      Walk(handles, handles*1.01, 30*time.Second),
	}
}
