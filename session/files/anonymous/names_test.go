package anonymous

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"perfdeck/paths"
)

// night are paths of a recording with names of all kinds.
var night = []string{
	`\\sql01.corp.example.com\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, `\\sql01.corp.example.com\Process(Contoso Billing#2)\% Processor Time`,
	`\\WEB-7\Process(sqlservr_1234)\ID Process`, `\\WEB-7\Acme Orders(north)\Acme things/sec`, `\\WEB-7\MSSQL$PAYROLL:Buffer Manager\Page life expectancy`,
	`\\WEB-7\Thread(acmed/3)\% Processor Time`, `\\WEB-7\LogicalDisk(/home/meyer)\% Free Space`, `\\web-7\SMB Server Shares(sql01)\Cache Bytes`, `\\10.9.8.7\Memory\Available MBytes`,
}

func fixed() *Names {
	n := New()
	n.Collect(night)
	n.Fix([]string{"tcp://app3x:14500", "www"}, []string{`CORPNT\ana.meyer`, "root"})
	return n
}

// What is known everywhere stays, what tells whose it is goes.
func TestPath(t *testing.T) {
	n := fixed()
	for text, want := range map[string]string{
		night[0]: `\\host-N.domain-N\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`,
		night[1]: `\\host-N.domain-N\Process(process-N#2)\% Processor Time`,
		night[2]: `\\host-N\Process(sqlservr_1234)\ID Process`,
		night[3]: `\\host-N\set-N(instance-N)\counter-N`,
		night[4]: `\\host-N\MSSQL$instance-N:Buffer Manager\Page life expectancy`,
		night[5]: `\\host-N\Thread(process-N/3)\% Processor Time`,
		night[6]: `\\host-N\LogicalDisk(disk-N)\% Free Space`,
		night[7]: `\\host-N\SMB Server Shares(host-N)\Cache Bytes`,
		night[8]: `\\address-N\Memory\Available MBytes`,
		`\Processor Information(0,_Total)\% Processor Time`:   `\Processor Information(0,_Total)\% Processor Time`,
		`\Network Interface(*)\Bytes Total/sec`:               `\Network Interface(*)\Bytes Total/sec`,
		`\Network Interface(enx001122334455)\Bytes Total/sec`: `\Network Interface(interface-N)\Bytes Total/sec`,
		`\Process(acm*)\% Processor Time`:                     "", // no word matches what acm* does
		`nonsense`:                                            "",
	} {
		got, ok := n.Path(text)
		if got = numbers.ReplaceAllString(got, "${1}-N"); got != want || ok != (want != "") {
			t.Errorf("%s is %s, %v; want %s", text, got, ok, want)
		}
	}
}

var numbers = regexp.MustCompile(`\b(host|domain|process|set|counter|instance|disk|interface|address|user|mail|url|path|word|sid|number|guid|text)-\d+`)

// Texts keep what everybody writes about computers.
func TestText(t *testing.T) {
	n := fixed()
	for text, want := range map[string]string{
		`critical fired "slow disk": ` + night[0] + `: 41.2 ms > 25.0 ms, 5 of 6 samples by CORPNT\ana.meyer`: `critical fired "slow disk": \\host-N.domain-N\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer: 41.2 ms > 25.0 ms, 5 of 6 samples by domain-N\user-N`,
		"deploy 4.2 on SQL01 by Ana.Meyer, mail bob@acme.org; see https://wiki.acme.org/x":                    "deploy 4.2 on host-N by user-N, mail mail-N; see url-N",
		"Contoso Billing stopped; backup_sql01_nightly sql%30%31 web-7.lan":                                   "process-N stopped; word-N word-N host-N.domain-N",
		"10.0.0.5:445 [fe80::1] ::1/64 S-1-5-21-1-2-3 00:11:22:33:44:55 8F2C3A1E-0000-1111-2222-333344445555": "address-N [address-N] address-N sid-N address-N guid-N",
		`C:\Users\ana\x.txt /home/ana/run.sh \\nas9\share$ ~/bin/x --host=app3x:22`:                           "path-N path-N path-N path-N --host=host-N:22",
		"read/write 12.5 MB/s at 2026-03-01T03:12:07Z, was 5-of-6; Müller called 0301234567890.":              "read/write 12.5 MB/s at 2026-03-01T03:12:07Z, was 5-of-6; word-N called number-N.",
		"host-1 is none of ours": "word-N is none of ours",
		"connection to web-7: refused after 30s (attempt 3), 100% of 8 GB used by root": "connection to host-N: refused after 30s (attempt 3), 100% of 8 GB used by root",
		"": "",
	} {
		if got := numbers.ReplaceAllString(n.Text(text), "${1}-N"); got != want {
			t.Errorf("%q is\n%q, want\n%q", text, got, want)
		}
	}
}

// The same name is the same word in any case of letters and in any place, and no two names
// are the same word.
func TestMappingIsAFunction(t *testing.T) {
	n := fixed()
	words := map[string]string{}
	for i := range 2000 {
		name := fmt.Sprintf("Nm%dx", i%1000)
		if i%3 == 0 {
			name = strings.ToUpper(name)
		}
		word := []func() string{
			func() string { return n.Host(name) }, func() string { return n.User(name) }, func() string { return n.Instance("Process", name) },
			func() string { return n.Set(name) }, func() string { return n.Counter(name) }, func() string { return n.Text(name) }, func() string { return n.Value(name) },
		}[i%7]()
		key := paths.Fold(name)
		if was := words[key]; was != "" && was != word {
			t.Fatalf("%s is %s and %s", name, was, word)
		}
		words[key] = word
	}
	seen := map[string]string{}
	for name, word := range words {
		if other := seen[word]; other != "" {
			t.Fatalf("%s and %s are %s", name, other, word)
		}
		seen[word] = name
	}
	if a, b := n.Host("SQL01"), n.Text("sql01"); a != b || !strings.HasPrefix(n.Host("sql01.other.example"), a+".domain-") {
		t.Errorf("%s, %s", a, b)
	}
}

// Words tell nothing of the order of names: a sorted list gets its numbers by lot.
func TestNumbersAreDrawn(t *testing.T) {
	var list []string
	for i := range 20 {
		list = append(list, fmt.Sprintf(`\\srv%02dx\Memory\Available MBytes`, i))
	}
	sorted := 0
	for range 5 {
		n := New()
		n.Collect(list)
		n.Fix(nil, nil)
		rising := 0
		for i := range 19 {
			var a, b int
			_, _ = fmt.Sscanf(n.Host(fmt.Sprintf("srv%02dx", i)), "host-%d", &a)
			_, _ = fmt.Sscanf(n.Host(fmt.Sprintf("srv%02dx", i+1)), "host-%d", &b)
			if b > a {
				rising++
			}
		}
		if rising == 19 {
			sorted++
		}
	}
	if sorted > 0 {
		t.Errorf("%d of 5 are in order", sorted)
	}
}

// Whatever the text, no name of a host, a user or a domain is left in it unless Forbids
// says so.
func TestNoNameIsLeft(t *testing.T) {
	secret := []string{"sql01", "corp.example.com", "web-7", "contoso billing", "payroll", "acmed", "ana.meyer", "corpnt", "app3x", "10.9.8.7", "meyer"}
	around := []string{"", " ", "x", "_", "-", ".", "/", `\`, "%20", "=", "'", "(", "@", ":", "é", "the ", " failed", "https://", `\\`, "--", "3"}
	r := rand.New(rand.NewPCG(7, 7))
	n := fixed()
	for range 20000 {
		name := secret[r.IntN(len(secret))]
		switch r.IntN(3) {
		case 0:
			name = strings.ToUpper(name)
		case 1:
			name = strings.ToUpper(name[:1]) + name[1:]
		}
		text := around[r.IntN(len(around))] + around[r.IntN(len(around))] + name + around[r.IntN(len(around))] + around[r.IntN(len(around))]
		out := n.Text(text)
		for _, s := range secret {
			if strings.Contains(strings.ToLower(out), s) && !n.Forbids(out) {
				t.Fatalf("%q is %q", text, out)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("deploy 4.2 on SQL01 by ana")
	f.Add("\xff\u202eİ ſ K 1.2.3.4:5 [::1]")
	f.Fuzz(func(t *testing.T, text string) {
		n := fixed()
		out := n.Text(text)
		if strings.Contains(strings.ToLower(out), "corpnt") && !n.Forbids(out) {
			t.Fatalf("%q is %q", text, out)
		}
		n.Path(text)
		n.Host(text)
		n.User(text)
	})
}
