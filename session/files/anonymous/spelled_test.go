package anonymous

import (
	"regexp"
	"strings"
	"testing"
)

func ofHosts(hosts ...string) *Names {
	n := New()
	var all []string
	for _, h := range hosts {
		all = append(all, `\\`+h+`\Memory\Available MBytes`)
	}
	n.Collect(all)
	n.Fix(nil, nil)
	return n
}

// standing is what stands in the place of something.
var standing = regexp.MustCompile(`(?:address|word|number|domain|host)-\d+`)

// The address of a host goes however it is spelled.
func TestSpelledAddresses(t *testing.T) {
	n := ofHosts("10.20.30.40", "2001:db8::a:1")
	for _, text := range []string{
		"10.20.30.40", "10-20-30-40", "10_20_30_40", "10/20/30/40", "10 20 30 40", "10,20,30,40", "10:20:30:40", "ip-10-20-30-40", "ip_10_20_30_40", "ec2-10-20-30-40", "10[.]20[.]30[.]40", "10 dot 20 dot 30 dot 40", "10(dot)20(dot)30(dot)40",
		"169090600", "0x0a141e28", "0x0A141E28", "0A141E28", "a141e28", "0xa141e28", "01205017050", "012.024.036.050", "0x0a.0x14.0x1e.0x28", "010.020.030.040", "0A-14-1E-28", "0a:14:1e:28", "40.30.20.10.in-addr.arpa", "40-30-20-10", "281E140A",
		"::ffff:10.20.30.40", "::ffff:0a14:1e28", "pid_169090600", "login-10_20_30_40", "(10-20-30-40)", "web 10-20-30-40-old",
		"2001:db8::a:1", "2001:0DB8:0:0:0:0:A:1", "2001-db8--a-1", "2001_db8_0_0_0_0_a_1", "20010db80000000000000000000a0001", "1.0.0.0.a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "2001-db8--a-1.ipv6-literal.net", "[2001:db8::a:1]",
	} {
		got := n.Text(text + " is down")
		if left := standing.ReplaceAllString(got, ""); left == got || strings.ContainsAny(left, "0123456789") {
			t.Errorf("%q is %q", text, got)
		}
	}
	// Numbers of three digits, and of one.
	n = ofHosts("192.168.7.109", "172.16.0.5")
	for _, text := range []string{
		"192-168-7-109", "192_168_7_109", "192 168 7 109", "109-7-168-192", "ip-192-168-7-109", "192[.]168[.]7[.]109", "C0-A8-07-6D", "0xc0.0xa8.0x7.0x6d", "0300.0250.07.0155", "0300-0250-0007-0155", "3232237421",
		"192.168.1901", "192.11012973", "0xc0.0xa8076d", "172-16-0-5", "172.16.0.005", "172 dot 16 dot 0 dot 5",
	} {
		got := n.Text(text + " is down")
		if left := standing.ReplaceAllString(got, ""); left == got || strings.ContainsAny(left, "0123456789") {
			t.Errorf("%q is %q", text, got)
		}
	}
	n = ofHosts("10.20.30.40", "2001:db8::a:1")
	for _, name := range []string{"169090600", "10,20,30,40", "bash_169090600", "bash_4111111111111111", "_total 4111111111111111", "sda1p111p111p111p111", "kworker/411111111111"} {
		if got, ok := n.Path(`\Process(` + name + `)\ID Process`); !ok || strings.Contains(got, name) {
			t.Errorf("the instance %s is %s", name, got)
		}
	}
	if got := n.Value("169090600"); got == "169090600" {
		t.Errorf("a text is %s", got)
	}
	if got := n.Text("at 5 10 20 30 40"); !strings.HasPrefix(got, "at 5 address-") {
		t.Errorf("%s", got)
	}
	if a, b := n.Text("10.20.30.40"), n.Text("::ffff:0a14:1e28"); a != b {
		t.Errorf("one address is %s and %s", a, b)
	}
}

// The address in the name of a host is one of a host.
func TestAddressInAName(t *testing.T) {
	n := ofHosts("ip-10-20-30-40", "WIN-10-20-31-50.corp.example.com")
	for _, text := range []string{"10-20-30-40", "10_20_30_40", "169090600", "10 20 31 50"} {
		if got := n.Text(text + " is down"); !strings.HasPrefix(got, "address-") {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// Numbers of people and places go, however they are grouped.
func TestLongNumbers(t *testing.T) {
	n := ofHosts("web01")
	for _, text := range []string{
		"+49 170 1234567", "+49-170-1234567", "030 123 45 67", "0170/1234567", "0170-1234567", "(030) 1234567", "+1 (555) 123-4567", "555-123-4567", "555 123 4567", "+49 30 12345", "0049 170 1234567", "+491701234567", "0170.1234567",
		"4111-1111-1111-1111", "4111 1111 1111 1111", "4111_1111_1111_1111", "4111111111111111", "3782 822463 10005", "3782-822463-10005", "4111/1111/1111/1111", "4111 1111 1111 1111",
		"078-05-1120", "078 05 1120", "123-45-6789", "756.1234.5678.97", "1 85 05 78 006 084 36", "12 345 678 901", "1234 5678 9012",
		"52.520008 13.404954", "52.520008,13.404954", "52.520008, 13.404954", "-33.868820 / 151.209290", "52.5200° N, 13.4050° E", "52,520008; 13,404954", "52,5200 13,4049", "lat 52.52", "lon=13.41",
		"DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "0a 1b 2c 3d 4e 5f", "0a_1b_2c_3d_4e_5f", "08 00 27 12 34 56",
	} {
		got := n.Text("call " + text + ", then wait")
		if left := numbers.ReplaceAllString(got, ""); strings.ContainsAny(left, "0123456789") {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// Numbers that tell nobody stay.
func TestHarmlessNumbers(t *testing.T) {
	n := ofHosts("10.20.30.40")
	for _, text := range []string{
		"port 8080", "ports 80 443 8080 8443", "ports 32768-60999", "4096 MB of 16384 MB", "pid 1234567", "disk 0 C:", "10 20 30", "12.5 MB/s", "5 of 6", "5-of-6", "version 4.2.1", "10.5%", "0.123456 s", "load 0.15 0.20 0.18",
		"2026-03-02 03:12:15", "2026-03-02T03:12:07Z", "02/03/2026 03:12:15", "02.03.2026", "20260302-031215", "2026-03-02_03-12-15", "2026-03-02 03:12:15 100 200", "169090601", "1000 2000 3", "03:12:15 04:12:15", "from 100000 to 200000",
		"1,234,567,890", "cpu 0 1 2 3", "100/200", "-5 -6", "30s", "50/90/95/99", "1-2-3-4", "16 GB", "500 ms > 100 ms",
	} {
		if got := n.Text(text); got != text {
			t.Errorf("%q is %q", text, got)
		}
	}
	for _, name := range []string{"0 C:", "0", "12", "bash_1234", "bash_1234567", "0,1", "0,_Total", "_Total", "sda1", "eth0", "HarddiskVolume3", "nvme0n1p2", "kworker/0:1"} {
		if got, _ := n.Path(`\Process(` + name + `)\ID Process`); got != `\Process(`+name+`)\ID Process` {
			t.Errorf("%s is %s", name, got)
		}
	}
}
