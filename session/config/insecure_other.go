//go:build !unix

package config

import "io/fs"

func insecure(fs.FileInfo) error { return nil }
