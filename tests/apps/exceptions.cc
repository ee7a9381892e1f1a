// C++: exceptions through many frames, rethrown, thrown while unwinding; templates, virtual calls, std::thread.
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Guard {
    int &count;
    explicit Guard(int &count) : count(count)
    {
    }
    ~Guard()
    {
        count++;
    }
};

template <typename T> T climb(T depth, int &unwound)
{
    Guard guard(unwound);
    if (depth == 0)
        throw std::runtime_error("top");
    return climb(T(depth - 1), unwound) + 1;
}

int rethrow(int depth, int &unwound)
{
    try {
        return static_cast<int>(climb<long>(depth, unwound));
    } catch (const std::exception &) {
        if (depth % 2 == 0)
            throw;
        throw std::string("changed");
    }
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double side) : side(side)
    {
    }
    double area() const override
    {
        return side * side;
    }
};
struct Circle : Shape {
    double radius;
    explicit Circle(double radius) : radius(radius)
    {
    }
    double area() const override
    {
        return 3 * radius * radius;
    }
};

double total_area(const std::vector<std::unique_ptr<Shape>> &shapes)
{
    return std::accumulate(shapes.begin(), shapes.end(), 0.0,
                           [](double sum, const std::unique_ptr<Shape> &shape) { return sum + shape->area(); });
}

void run(int number, int &runtime_errors, int &strings, int &unwound)
{
    for (int i = 0; i < 50; i++) {
        try {
            rethrow(i % 15 + number, unwound);
        } catch (const std::runtime_error &) {
            runtime_errors++;
        } catch (const std::string &) {
            strings++;
        }
    }
}

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 20; i++) {
        if (i % 2)
            shapes.push_back(std::make_unique<Square>(i));
        else
            shapes.push_back(std::make_unique<Circle>(i));
    }
    int counts[3][3] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(run, i, std::ref(counts[i][0]), std::ref(counts[i][1]), std::ref(counts[i][2]));
    for (auto &thread : threads)
        thread.join();
    for (auto &count : counts)
        std::printf("%d %d %d\n", count[0], count[1], count[2]);
    std::printf("%.1f\n", total_area(shapes));
    return 0;
}
