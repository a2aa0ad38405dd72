package service

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"

	"perfdeck/cooker"
	"perfdeck/session"
)

// DialOwn opens the service manager of this computer, for what is read alone.
func DialOwn(context.Context) (Manager, error) {
	h, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT|windows.SC_MANAGER_ENUMERATE_SERVICE)
	if err != nil {
		return nil, denied(err)
	}
	return &own{handle: h, names: map[string]string{}}, nil
}

// own is the service manager of this computer.
type own struct {
	handle windows.Handle
	names  map[string]string // by stamp
}

func denied(err error) error {
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return fmt.Errorf("%w: %w", session.ErrDenied, err)
	}
	return err
}

// List implements Manager.
func (o *own) List(context.Context) ([]Service, error) {
	const (
		firstSize = 64 << 10
		mostParts = 64
	)
	buffer := make([]uint64, firstSize/8) // heads are aligned to pointers
	var out []Service
	var resume uint32
	for range mostParts {
		var needed, returned uint32
		begin := (*byte)(unsafe.Pointer(&buffer[0]))
		err := windows.EnumServicesStatusEx(o.handle, windows.SC_ENUM_PROCESS_INFO, windows.SERVICE_WIN32, windows.SERVICE_STATE_ALL,
			begin, uint32(len(buffer)*8), &needed, &returned, &resume, nil)
		if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
			return nil, denied(err)
		}
		for _, e := range unsafe.Slice((*windows.ENUM_SERVICE_STATUS_PROCESS)(unsafe.Pointer(begin)), returned) {
			status := &e.ServiceStatusProcess
			code := status.Win32ExitCode
			if code == uint32(windows.ERROR_SERVICE_SPECIFIC_ERROR) {
				code = status.ServiceSpecificExitCode
			}
			s := fromList(windows.UTF16PtrToString(e.ServiceName), windows.UTF16PtrToString(e.DisplayName), State(status.CurrentState), code, status.ProcessId)
			o.names[s.Stamp] = s.Name
			out = append(out, s)
		}
		if err == nil {
			return out, nil
		}
	}
	return out, nil
}

// Detail implements Manager: how it starts, and since when its process is there. What is denied of
// one is denied there alone.
func (o *own) Detail(_ context.Context, s *Service) error {
	unknown := cooker.Reading{State: cooker.Unavailable}
	s.Start, s.Began, s.Restarts, s.Missing = unknown, unknown, unknown, unknown
	switch start, isDelayed, err := o.startOf(o.names[s.Stamp]); {
	case err == nil:
		s.Start = Number(uint64(start))
		if isDelayed {
			s.Setting = "automatic, delayed"
		}
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		s.Start.State = cooker.Denied
	}
	if s.Process.State != cooker.OK {
		return nil
	}
	switch began, err := beganOf(uint32(s.Process.Raw)); {
	case err == nil:
		s.Began = Number(began)
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		s.Began.State = cooker.Denied
	}
	return nil
}

// startOf is how a service starts, and, where that is by itself, whether some minutes later.
func (o *own) startOf(name string) (start uint32, isDelayed bool, err error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, false, err
	}
	h, err := windows.OpenService(o.handle, text, windows.SERVICE_QUERY_CONFIG)
	if err != nil {
		return 0, false, err
	}
	defer windows.CloseServiceHandle(h) //nolint:errcheck // it was only read
	const size = 8 << 10                // the most that there is (QueryServiceConfig)
	buffer := make([]uint64, size/8)
	config := (*windows.QUERY_SERVICE_CONFIG)(unsafe.Pointer(&buffer[0]))
	var needed uint32
	if err := windows.QueryServiceConfig(h, config, size, &needed); err != nil || config.StartType != Automatic {
		return config.StartType, false, err
	}
	var info windows.SERVICE_DELAYED_AUTO_START_INFO
	err = windows.QueryServiceConfig2(h, windows.SERVICE_CONFIG_DELAYED_AUTO_START_INFO, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), &needed)
	return Automatic, err == nil && info.IsDelayedAutoStartUp != 0, nil // older systems do not know of it
}

// beganOf is when a process began, in 100 ns since 1601.
func beganOf(pid uint32) (uint64, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(h) //nolint:errcheck // it was only read
	var began, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &began, &ended, &kernel, &user); err != nil {
		return 0, err
	}
	return uint64(began.HighDateTime)<<32 | uint64(began.LowDateTime), nil
}

// Close implements Manager.
func (o *own) Close() error { return windows.CloseServiceHandle(o.handle) }
