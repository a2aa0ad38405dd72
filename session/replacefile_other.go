//go:build !windows

package session

func replaceFile(rename func() error) error { return rename() }
