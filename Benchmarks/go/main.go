// Sends the same requests as the benchmark `throughput`, with Go's net/http, and prints its figures in the same JSON.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

func main() {
	url := flag.String("url", "", "the URL to get")
	requests := flag.Int("requests", 20000, "the number of requests")
	concurrency := flag.Int("concurrency", 64, "the number of requests in flight")
	flag.Parse()
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConns: *concurrency, MaxIdleConnsPerHost: *concurrency, DisableCompression: true,
	}}
	// Opens the connections.
	run(client, *url, 4*(*concurrency), *concurrency)
	cpu, waits := usage()
	begin := time.Now()
	run(client, *url, *requests, *concurrency)
	seconds := time.Since(begin).Seconds()
	cpuAfter, waitsAfter := usage()
	count := float64(*requests)
	figures := map[string]float64{
		"requestsPerSecond":  count / seconds,
		"cpuSecondsPer10000": (cpuAfter - cpu) / count * 10000,
		"waitsPerRequest":    float64(waitsAfter-waits) / count,
	}
	report := map[string]any{"clients": map[string]any{"go": figures}}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		log.Fatal(err)
	}
}

func run(client *http.Client, url string, requests, concurrency int) {
	var group sync.WaitGroup
	for index := 0; index < concurrency; index++ {
		share := requests / concurrency
		if index < requests%concurrency {
			share++
		}
		group.Add(1)
		go func() {
			defer group.Done()
			for number := 0; number < share; number++ {
				get(client, url)
			}
		}()
	}
	group.Wait()
}

func get(client *http.Client, url string) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		log.Fatal(err)
	}
	// The fields of the other clients, so that all send the same bytes.
	request.Header.Set("User-Agent", "Errand/0.2.0")
	request.Header.Set("Accept", "*/*")
	request.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || len(body) == 0 || response.StatusCode != 200 {
		log.Fatal("a response is not the expected one: ", err)
	}
}

func usage() (seconds float64, waits int64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	time := func(value syscall.Timeval) float64 { return float64(value.Sec) + float64(value.Usec)/1e6 }
	return time(usage.Utime) + time(usage.Stime), usage.Nvcsw
}
