package local

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// withinSystemd is the variable that makes this test program the one that runs beside a systemd.
const withinSystemd = "PERFDECK_TEST_WITHIN_SYSTEMD"

// namespaces runs the distribution's systemd as the first process of namespaces of its own, with
// units for this test; $PROGRAM runs in it, and it ends with that. Of the file systems it changes
// what it has mounted itself alone.
const namespaces = `
C=/sys/fs/cgroup
for h in systemd unified; do [ -d $C/$h ] && mkdir -p $C/$h/perfdeck-test && echo $$ >$C/$h/perfdeck-test/cgroup.procs; done
exec unshare -m -p -f -n -u -i -C --kill-child sh -c '
set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs tmpfs /run; mkdir -p /run/systemd /run/lock
for h in systemd unified memory pids cpu cpuacct; do [ -d /sys/fs/cgroup/$h ] && umount /sys/fs/cgroup/$h; done 2>/dev/null
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/systemd /sys/fs/cgroup/unified
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
mount -t tmpfs tmpfs /etc/systemd/system
for u in systemd-sysctl systemd-modules-load systemd-udevd systemd-udev-trigger systemd-tmpfiles-setup systemd-tmpfiles-setup-dev systemd-random-seed systemd-hwdb-update systemd-timesyncd systemd-update-utmp systemd-sysusers systemd-remount-fs; do ln -s /dev/null /etc/systemd/system/$u.service; done
mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys
cp "$UNITS"/* /etc/systemd/system
export container=test
exec /lib/systemd/systemd --system --unit=test.target --log-target=null --show-status=no'
`

// What a stock systemd does with services is seen: by root, and by a user without any rights.
func TestServicesOfSystemd(t *testing.T) {
	if as := os.Getenv(withinSystemd); as != "" {
		lookAtServices(t, as)
		return
	}
	if testing.Short() {
		t.Skip("a systemd is started only without -short")
	}
	if os.Getuid() != 0 {
		t.Skip("namespaces with a systemd of their own need root")
	}
	for _, needed := range []string{"/lib/systemd/systemd", "/usr/bin/dbus-daemon", "/usr/bin/unshare", "/usr/bin/setpriv", "/sys/fs/cgroup/systemd"} {
		if _, err := os.Stat(needed); err != nil {
			t.Skipf("no stock systemd with a bus of its own: %v", err)
		}
	}
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(as, before string) string {
		return fmt.Sprintf("%senv %s=%s %s -test.run '^TestServicesOfSystemd$' -test.v", before, withinSystemd, as, "/run/look")
	}
	for name, text := range map[string]string{
		"crashy.service": "[Service]\nExecStart=/bin/sh -c \"sleep 0.1; exit 3\"\nRestart=on-failure\nRestartSec=0.1\n",
		"steady.service": "[Unit]\nDescription=Steady service\n[Service]\nExecStart=/bin/sleep 1000\n",
		"masked.service": "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=test.target\n",
		"test.target":    "[Unit]\nRequires=basic.target dbus.socket look.service\nWants=steady.service crashy.service dbus.service\nAfter=basic.target\n",
		"look.service": "[Unit]\nAfter=steady.service dbus.service\n[Service]\nType=oneshot\nWorkingDirectory=" + dir + "\nStandardOutput=file:" + dir + "/out\nStandardError=file:" + dir + "/err\n" +
			"ExecStart=/bin/sh " + dir + "/look\nExecStopPost=/bin/systemctl exit --force --force\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := "cp " + program + " /run/look\n" + run("root", "") + "\n" + run("nobody", "setpriv --reuid=65534 --clear-groups ") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "look"), []byte(look), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", namespaces)
	c.Env = append(os.Environ(), "UNITS="+dir)
	t.Cleanup(func() { // what systemd made of groups
		for _, h := range []string{"systemd", "unified"} {
			_ = exec.Command("find", "/sys/fs/cgroup/"+h+"/perfdeck-test", "-depth", "-type", "d", "-exec", "rmdir", "{}", ";").Run()
		}
	})
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	done := make(chan error, 1)
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	go func() { done <- c.Wait() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		_ = c.Process.Kill()
		t.Error("systemd did not end")
	}
	out, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Skipf("systemd does not run here: %s", said.Bytes())
	}
	if n := bytes.Count(out, []byte("--- PASS")); n != 2 {
		t.Errorf("%d of 2 passed\n%s", n, out)
	}
}

// lookAtServices is what runs beside that systemd.
func lookAtServices(t *testing.T, as string) {
	if as == "nobody" && os.Getuid() == 0 {
		t.Fatal("still root")
	}
	control := func(args ...string) {
		t.Helper()
		if as == "nobody" {
			return
		}
		if out, err := exec.Command("systemctl", args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", args, out)
		}
	}
	until := func(what string, is func(name string, of func(counter string) string) bool) {
		t.Helper()
		last := ""
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if last = look(t, is); last == "" {
				return
			}
		}
		t.Errorf("%s: %s", what, last)
	}
	is := func(service, counter, want string) func(string, func(string) string) bool {
		return func(name string, of func(string) string) bool { return name == service && of(counter) == want }
	}
	if as == "nobody" {
		until("steady", is("steady", "Running", "1"))
		until("its process", func(name string, of func(string) string) bool { return name == "steady" && of("ID Process") != "" })
		return
	}
	until("steady runs", is("steady", "State", "4"))
	control("stop", "steady.service")
	until("steady was stopped", is("steady", "State", "1"))
	until("and did not fail", is("steady", "Failed", "0"))
	until("nor with a code", is("steady", "Exit Code", "0"))
	until("crashy fails", is("crashy", "Failed", "1"))
	until("with its code", is("crashy", "Exit Code", "3"))
	until("after restarts", is("crashy", "Restarts", "5"))
	control("start", "steady.service")
	until("steady was started", is("steady", "Running", "1"))
	control("mask", "--runtime", "console-getty.service")
	until("masked", is("console-getty", "Start Type", "4"))
}

// look reads all services anew, and returns what there was; empty: is held of one of them.
func look(t *testing.T, is func(name string, of func(counter string) string) bool) string {
	t.Helper()
	s, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var b session.Batch
	set := cat.Set(service.Name)
	if err := q.Select(t.Context(), []session.Want{allOf(set)}); err != nil {
		t.Fatal(err)
	}
	if err := q.Collect(t.Context(), &b); err != nil || b.Sets[0].Err != nil {
		return fmt.Sprint(err, b.Sets[0].Err)
	}
	var all []string
	for i, in := range b.Sets[0].Instances {
		row := b.Sets[0].Row(i)
		if is(in.Key.Name, func(counter string) string {
			if at, ok := set.Counter(counter); ok && row[at].State == 0 {
				return fmt.Sprint(row[at].Raw)
			}
			return ""
		}) {
			return ""
		}
		all = append(all, fmt.Sprint(in.Key.Name, row))
	}
	return strings.Join(all, "\n")
}
