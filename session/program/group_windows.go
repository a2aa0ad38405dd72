package program

import (
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Start starts a program in a job, which ends with it and takes along
// whatever it started and left behind.
func Start(c *exec.Cmd) (finish func(), err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))) //nolint:gosec // that is how it is called
	if err == nil {
		c.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
		err = c.Start()
	}
	if err == nil {
		err = enter(job, uint32(c.Process.Pid))
		if err != nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	return func() { _ = windows.CloseHandle(job) }, nil
}

func enter(job windows.Handle, pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // it was only looked at
	return windows.AssignProcessToJobObject(job, process)
}
