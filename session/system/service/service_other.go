//go:build !linux

package service

import (
	"os"
	"time"
)

func monotonic() time.Duration { return 0 }

func deviceAndInode(os.FileInfo) string { return "" }
