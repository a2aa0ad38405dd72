package rpc

import (
	"fmt"
	"io"
	"os/exec"
	"slices"
	"testing"
	"time"

	"perfdeck/session/wire/smbtest"
)

// TestFilesBesideSMBClient copies 256 MiB by turns with Debian's smbclient, by the same dialect
// and algorithms: sealed it is to be at least as fast, signed at least 0.8 times.
func TestFilesBesideSMBClient(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures: see .ci/test --all")
	}
	smbtest.Need(t, "smbclient", "smbclient")
	const size, turns = 256 << 20, 5
	folder, _ := logFolder(t, size)
	for _, v := range []struct {
		name, protect string
		global        []string
		least         float64
	}{
		{"sealed", "encrypt", []string{"server smb3 encryption algorithms = AES-128-GCM", "smb encrypt = required"}, 1},
		{"signed", "sign", []string{"server smb3 signing algorithms = AES-128-CMAC"}, 0.8},
	} {
		s := smbtest.Start(t, smbtest.Options{Global: v.global, Shares: map[string]string{"perflogs": folder}})
		share := files(t, smbOptions(s), "perflogs")
		var ours, theirs []float64
		for range turns {
			began := time.Now()
			f, err := share.Open(t.Context(), someLog)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := f.Copy(t.Context(), io.Discard, 0); err != nil || n != size {
				t.Fatal(n, err)
			}
			_ = f.Close()
			ours = append(ours, size/1e6/time.Since(began).Seconds())
			began = time.Now()
			out, err := exec.CommandContext(t.Context(), "smbclient", "//127.0.0.1/perflogs", "-p", fmt.Sprint(s.Port),
				"-U", smbtest.Workgroup+`\`+smbtest.User+"%"+smbtest.Password, "--client-protection="+v.protect, "-m", "SMB3_11",
				"-c", `get EL4\HOST_1\DataCollector01.blg /dev/null`).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			theirs = append(theirs, size/1e6/time.Since(began).Seconds())
		}
		t.Logf("%s, MB/s: ours %.0f, smbclient %.0f", v.name, ours, theirs)
		slices.Sort(ours)
		slices.Sort(theirs)
		if ratio := ours[turns/2] / theirs[turns/2]; ratio < v.least {
			t.Errorf("%s: %.2f of smbclient", v.name, ratio)
		} else {
			t.Logf("%s: %.2f of smbclient", v.name, ratio)
		}
	}
}
