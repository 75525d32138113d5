module errand-benchmark

go 1.19
