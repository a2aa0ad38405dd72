package logs

import "golang.org/x/sys/windows"

// localWindowsNames are what Windows calls the zone of this computer, in its own
// language, without and with daylight time.
func localWindowsNames() (standard, daylight string) {
	var zone windows.Timezoneinformation
	if _, err := windows.GetTimeZoneInformation(&zone); err != nil {
		return "", ""
	}
	return windows.UTF16ToString(zone.StandardName[:]), windows.UTF16ToString(zone.DaylightName[:])
}
