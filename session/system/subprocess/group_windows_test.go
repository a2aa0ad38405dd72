package subprocess

import (
	"os/exec"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// TestDetachInJob: what is started in a job leaves it where the job lets it.
func TestDetachInJob(t *testing.T) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(job) //nolint:errcheck // it ends nothing
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		t.Fatal(err)
	}
	var set windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if err := windows.QueryInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&set)), uint32(unsafe.Sizeof(set)), nil); err != nil || set.BasicLimitInformation.LimitFlags == 0 {
		t.Skip("limits of jobs are not told here, as by Wine: ", err)
	}
	if err := windows.AssignProcessToJobObject(job, windows.CurrentProcess()); err != nil {
		t.Skip("already in a job that holds us: ", err)
	}
	cmd := exec.Command("cmd.exe", "/c", "exit 0")
	Detach(cmd)
	if cmd.SysProcAttr.CreationFlags&windows.CREATE_BREAKAWAY_FROM_JOB == 0 {
		t.Error("it stays in the job")
	}
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}
