package fake

import (
	"fmt"
	"time"

	"perfdeck/session"
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
	system  = `NT AUTHORITY\SYSTEM`
	network = `NT AUTHORITY\NETWORK SERVICE`
	admin   = `CORP\mia`
)

// basePrograms run on every Windows.
var basePrograms = []program{
	{"System", 4, 0, system, "", 0.004, 0.1, 264, 6410, Window{}},
	{"smss", 412, 4, system, `\SystemRoot\System32\smss.exe`, 0, 1, 3, 55, Window{}},
	{"csrss", 588, 412, system, `C:\Windows\system32\csrss.exe`, 0.0003, 5, 12, 612, Window{}},
	{"csrss", 676, 412, system, `C:\Windows\system32\csrss.exe`, 0.0003, 4, 11, 240, Window{}},
	{"wininit", 684, 588, system, "wininit.exe", 0, 6, 2, 160, Window{}},
	{"services", 700, 684, system, `C:\Windows\system32\services.exe`, 0.001, 11, 9, 715, Window{}},
	{"lsass", 708, 684, system, `C:\Windows\system32\lsass.exe`, 0.005, 42, 11, 2118, Window{}},
	{"MsMpEng", 3320, 700, system, `"C:\ProgramData\Microsoft\Windows Defender\Platform\MsMpEng.exe"`, 0.05, 312, 38, 1206, Window{}},
	{"spoolsv", 2712, 700, system, `C:\Windows\System32\spoolsv.exe`, 0.0001, 30, 8, 455, Window{}},
	{"msdtc", 6436, 700, network, `C:\Windows\System32\msdtc.exe`, 0.0001, 10, 9, 240, Window{}},
	{"dwm", 1032, 676, `Window Manager\DWM-1`, "dwm.exe", 0.0008, 64, 16, 456, Window{}},
	{"explorer", 8120, 676, admin, `C:\Windows\Explorer.EXE`, 0.0006, 118, 61, 2290, Window{}},
	{"Taskmgr", 9012, 8120, admin, `"C:\Windows\system32\Taskmgr.exe" /4`, 0.0012, 33, 14, 702, Window{}},
	{"WmiPrvSE", 5128, 700, network, `C:\Windows\system32\wbem\wmiprvse.exe`, 0.01, 28, 11, 310,
		Window{From: 20 * time.Second, To: 100 * time.Second, Every: 3 * time.Minute}},
	{"TiWorker", 7716, 700, system, `C:\Windows\winsxs\amd64\TiWorker.exe -Embedding`, 0.03, 61, 7, 240,
		Window{From: 200 * time.Second, To: 260 * time.Second, Every: 8 * time.Minute}},
}

var sqlPrograms = []program{
	{"sqlservr", 2148, 700, `CORP\svc-sql`, `"C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\sqlservr.exe" -sMSSQLSERVER`, 0.79, 39014, 412, 9417, Window{}},
	{"SQLAGENT", 2290, 700, `CORP\svc-sql`, `"C:\Program Files\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQL\Binn\SQLAGENT.EXE" -i MSSQLSERVER`, 0.008, 64, 24, 612, Window{}},
	{"w3wp", 7044, 1460, `IIS APPPOOL\Reports`, `c:\windows\system32\inetsrv\w3wp.exe -ap "Reports"`, 0.042, 1239, 61, 2044, Window{}},
	{"w3wp", 7912, 1460, `IIS APPPOOL\Portal`, `c:\windows\system32\inetsrv\w3wp.exe -ap "Portal"`, 0.021, 841, 54, 1870, Window{}},
}

var webPrograms = []program{
	{"w3wp", 4424, 1460, `IIS APPPOOL\Shop`, `c:\windows\system32\inetsrv\w3wp.exe -ap "Shop"`, 0.55, 2906, 96, 3120, Window{}},
	{"w3wp", 4788, 1460, `IIS APPPOOL\Search`, `c:\windows\system32\inetsrv\w3wp.exe -ap "Search"`, 0.25, 1620, 71, 2210, Window{}},
	{"inetinfo", 2404, 700, system, `C:\Windows\system32\inetsrv\inetinfo.exe`, 0.002, 22, 13, 402, Window{}},
}

var directoryPrograms = []program{
	{"dns", 2096, 700, system, `C:\Windows\system32\dns.exe`, 0.12, 160, 23, 5390, Window{}},
	{"dfsrs", 2120, 700, system, `C:\Windows\system32\DFSRs.exe`, 0.02, 48, 18, 610, Window{}},
	{"ismserv", 2164, 700, system, `C:\Windows\System32\ismserv.exe`, 0.0002, 12, 6, 170, Window{}},
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
	for _, one := range basePrograms {
		s.Rows = append(s.Rows, p.programRow(&one))
	}
	for _, one := range p.programs {
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
