package diagnosis

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/wire/capture"
	"perfdeck/session/wire/smbtest"
)

// Services and events of a host are tried after its counters, over their log-on, and are no matter of the outcome.
func TestServiceSteps(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{Global: []string{smbtest.EventLogs}, Performance: &smbtest.Performance{Objects: []smbtest.Object{
		{Name: "Memory", Help: "memory", Counters: []smbtest.Counter{{Name: "Available Bytes", Help: "free", Type: 0x00010100, Values: []uint64{77}}}},
	}}})
	s.WriteEvents("System", true, smbtest.Event{Time: time.Now(), ID: 7, Type: "ERROR", Source: "Spooler", Inserts: []string{"NETLOGON", "C:"}})
	c := newClinic(t, smbtest.Workgroup+`\`+smbtest.User, smbtest.Password)
	var out bytes.Buffer
	c.o.Heard = capture.Objects(&out, false)
	of, err := c.o.Known.Target(s.Address())
	if err != nil {
		t.Fatal(err)
	}
	err = Examine(t.Context(), of, c.o)
	last := c.steps[len(c.steps)-2]
	if err != nil || last.Err != nil || last.Name != "list services" || !strings.Contains(last.Detail, "services, ") || failure.Hint(last.Err) != "" {
		t.Errorf("%v: %+v", err, last)
	}
	if events := c.steps[len(c.steps)-1]; events.Name != "read event logs" || events.Err != nil || !strings.HasPrefix(events.Detail, "System has 1 record, the newest of 20") {
		t.Errorf("%+v", events)
	}
	if !strings.Contains(out.String(), "\"op\":10") || !strings.Contains(out.String(), "\"op\":14") || strings.Contains(out.String(), "withheld") {
		t.Errorf("captured: %s", out.String())
	}
	for _, name := range []string{"Spooler", "NETLOGON"} {
		var wide []byte
		for _, b := range []byte(name) {
			wide = append(wide, b, 0)
		}
		if strings.Contains(out.String(), hex.EncodeToString(wide)) {
			t.Errorf("%s is captured", name)
		}
	}
}
