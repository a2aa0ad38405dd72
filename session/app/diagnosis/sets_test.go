package diagnosis

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/hosts/pla/platest"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/capture"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// examineSets tries the steps of the sets of a host, and returns their names without ports.
func examineSets(t *testing.T, address string, port int, password string, heard *rpc.Heard) (steps []string, hint string, err error) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	known := inventory.New(inventory.Options{
		Config:   &config.Config{Hosts: []config.Host{{Name: "web1", Address: address, EndpointPort: port}}},
		Accounts: logon.New(logon.Options{User: platest.User, Password: []byte(password), Getenv: func(string) string { return "" }, Go: func(f func()) { go f() }}),
		Clock:    func() session.Clock { return session.NewSystemClock() }, Go: func(f func()) { go f() },
		Getenv: func(string) string { return "" }, Environ: os.Environ(), Named: func() int { return 1 }, Context: t.Context,
	})
	t.Cleanup(known.Close)
	ports := regexp.MustCompile(`TCP \d+`)
	tell := func(s Step) {
		name := s.Name
		if name = strings.ReplaceAll(name, "TCP "+strconv.Itoa(port), "TCP 135"); !strings.Contains(name, "135") {
			name = ports.ReplaceAllString(name, "TCP any")
		}
		if s.Err != nil {
			name, hint = "!"+name, failure.Hint(s.Err)
		}
		steps = append(steps, name)
	}
	e := &examination{Options: Options{Known: known, Tell: tell, Note: func(err error) { steps = append(steps, "note "+failure.Hint(err)) }, Heard: heard}}
	target, err := known.Target("web1")
	if err != nil {
		t.Fatal(err)
	}
	return steps, hint, e.sets(t.Context(), target)
}

// Each step that can fail says what lets the host be reached, or gives the right.
func TestSetSteps(t *testing.T) {
	denied := func(method string) platest.Lies {
		return platest.Lies{Before: func(_ context.Context, m platest.Method) error {
			if m.Name == method {
				return dcom.Result(0x80070005)
			}
			return nil
		}}
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := closed.Addr().(*net.TCPAddr).Port
	_ = closed.Close()
	for name, c := range map[string]struct {
		o        platest.Options
		port     int
		address  string
		password string
		last     string
		hint     string
	}{
		"all is well":          {last: "list the sets"},
		"perfdeck serves":      {address: "tcp://127.0.0.1", last: "!prepare", hint: "without a scheme"},
		"nobody listens":       {port: free, last: "!TCP 135", hint: "netsh advfirewall"},
		"a wrong password":     {password: "wrong", last: "!TCP 135", hint: "Performance Log Users"},
		"no right to activate": {o: platest.Options{Lies: denied("IRemoteSCMActivator.RemoteCreateInstance")}, last: "!activate", hint: "10036 to 10038"},
		"the port is closed": {o: platest.Options{Lies: platest.Lies{Created: func(c *dcom.Created) {
			c.Exporter.Addresses = []dcom.Binding{{Tower: dcom.TowerTCP, Address: "web1[" + strconv.Itoa(free) + "]"}}
		}}}, last: "!TCP any", hint: "plasrv.exe"},
		"no right to list": {o: platest.Options{Lies: denied("IDataCollectorSetCollection.GetDataCollectorSets")}, last: "!list the sets", hint: "Performance Log Users"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.address == "" {
				c.address = "127.0.0.1"
			}
			h := platest.Start(t, c.o)
			h.Add(pla.Service, platest.Set{Name: "Detail", Status: pla.Running})
			port, password := h.Port(), platest.Password
			if c.port != 0 {
				port = c.port
			}
			if c.password != "" {
				password = c.password
			}
			var steps []string
			steps, hint, err := examineSets(t, c.address, port, password, nil)
			if len(steps) == 0 || steps[len(steps)-1] != c.last || !strings.Contains(hint, c.hint) || c.hint == "" && strings.Contains(hint, "netsh") {
				t.Errorf("the steps are %q, hint %q: %v", steps, hint, err)
			}
			if (err != nil) != strings.HasPrefix(c.last, "!") {
				t.Errorf("it ends with %v", err)
			}
			if held, _ := h.References(); held != 0 && c.last != "!TCP any" { // where there is no way to give them back
				t.Errorf("%d references are held", held)
			}
		})
	}
}

// replay answers as a capture has it: each call by the reply to one that was alike.
func replay(t *testing.T, lines []capture.ObjectCall) func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
	t.Helper()
	key := func(iid, object [16]byte, op uint16, stub []byte) string {
		stub = bytes.Clone(stub)
		if iid == dcom.IRemUnknown { // references are given back in the order in which they came
			stub = nil
		}
		if len(stub) >= 28 { // ORPCTHIS is unlike any other by its causality
			clear(stub[12:28])
		}
		return hex.EncodeToString(slices.Concat(iid[:], object[:], []byte{byte(op)}, stub))
	}
	id := func(text string) (id [16]byte) {
		b, _ := hex.DecodeString(text)
		copy(id[:], b)
		return id
	}
	replies, served := map[string][]capture.ObjectCall{}, map[[16]byte]bool{}
	for _, l := range lines {
		for _, b := range l.Bind {
			served[id(b.Interface)] = served[id(b.Interface)] || b.Result == 0
		}
		request, _ := hex.DecodeString(l.Request)
		k := key(id(l.Interface), id(l.Object), l.Op, request)
		replies[k] = append(replies[k], l)
	}
	server := rpc.NewServer(rpc.ServerOptions{
		Go: func(f func()) { go f() }, Calls: 1,
		Accounts: func(string) ([16]byte, bool) { return rpc.NTHash([]byte("any")), true },
		Interface: func(iid [16]byte, _ uint32) rpc.Handler {
			if !served[iid] {
				return nil
			}
			return func(_ context.Context, c *rpc.Call) ([]byte, error) {
				k := key(iid, c.Object, c.Op, c.Stub)
				if len(replies[k]) == 0 {
					t.Errorf("call %d of %x was not captured", c.Op, iid)
					return nil, rpc.Fault(rpc.FaultOpRange)
				}
				l := replies[k][0]
				replies[k] = replies[k][1:]
				if l.Code != 0 {
					return nil, rpc.Fault(l.Code)
				}
				return hex.DecodeString(l.Reply)
			}
		},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() { _ = server.Serve(ctx, listener) }()
	return func(ctx context.Context, _ int, interfaces ...rpc.Interface) (*rpc.Client, error) {
		return rpc.Dial(ctx, rpc.Options{
			Address: rpc.Address{Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port},
			Account: rpc.Account{User: "any", Password: func(context.Context) ([]byte, error) { return []byte("any"), nil }},
			Calls:   rpc.Calls{Interfaces: interfaces, CallTimeout: 10 * time.Second},
		})
	}
}

// What doctor captures of a listing names nothing of the host, and has its client list the same
// when it is answered by it.
func TestCaptureOfSets(t *testing.T) {
	for name, o := range map[string]platest.Options{"side by side": {}, "one at a time": {OneAtATime: true}, "bound late": {LateBinding: true}} {
		t.Run(name, func(t *testing.T) {
			h := platest.Start(t, o)
			secrets := []string{platest.User, platest.Password, "127.0.0.1", "FAKE", "localhost"}
			for i, set := range []string{"Payroll", "Kunden \u00c4rger \u0440\u0443\u0441", "x", "Q"} {
				h.Add(pla.Service, platest.Set{Name: set, Status: pla.Status(i % 2), XML: "<DataCollectorSet><Name>Payroll</Name></DataCollectorSet>"})
				if len(set) > 1 {
					secrets = append(secrets, set)
				}
			}
			var out bytes.Buffer
			if steps, _, err := examineSets(t, "127.0.0.1", h.Port(), platest.Password, capture.Objects(&out, false)); err != nil {
				t.Fatal(steps, err)
			}
			var lines []capture.ObjectCall
			var all []byte // that the lines have as bytes, too
			withheld := 0
			for text := range bytes.Lines(out.Bytes()) {
				var l capture.ObjectCall
				if err := json.Unmarshal(text, &l); err != nil {
					t.Fatal(err)
				}
				for _, part := range []string{l.Request, l.Reply} {
					b, err := hex.DecodeString(part)
					if err != nil {
						t.Fatal(err)
					}
					all = append(append(all, b...), '|')
				}
				if l.Withheld != "" {
					withheld++
				}
				lines = append(lines, l)
			}
			for _, secret := range secrets {
				wide := []byte(nil)
				for _, u := range utf16.Encode([]rune(secret)) {
					wide = append(wide, byte(u), byte(u>>8))
				}
				if bytes.Contains(out.Bytes(), []byte(secret)) || bytes.Contains(all, []byte(secret)) || bytes.Contains(all, wide) {
					t.Errorf("%q is in the capture", secret)
				}
			}
			if withheld > 0 || len(lines) < 10 {
				t.Errorf("%d of %d lines are withheld", withheld, len(lines))
			}
			s := pla.New(replay(t, lines), 0)
			defer s.Close()
			list, err := s.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, set := range list.Sets {
				got = append(got, set.Name.Set+" "+set.Status.String())
			}
			if want := []string{"xxxxxxx stopped", strings.Repeat("x", 16) + " running", "x stopped", "x running"}; !slices.Equal(got, want) {
				t.Errorf("played back the sets are %q, want %q", got, want)
			}
		})
	}
}
